export * from "preact";
export * from "preact/hooks";
export * from "@preact/signals";
export declare const html: (strings: TemplateStringsArray, ...values: any[]) => any;
