export { Zip, ZipDeflate, ZipPassThrough } from "fflate";
