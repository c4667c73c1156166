// Streams of bytes and text, over the streams of standards.js.

const { ReadableStream, TransformStream } = standards;

// A stream of some bytes, in one piece.
function streamOf(bytes) {
  return new ReadableStream({
    type: "bytes",
    start(controller) {
      if (bytes.length) controller.enqueue(bytes.slice());
      controller.close();
    },
  });
}

// All bytes of a stream.
async function collected(stream) {
  const pieces = [];
  for await (const piece of stream) {
    if (!isBytes(piece)) throw new TypeError("The stream holds something that is no bytes.");
    pieces.push(copied(piece));
  }
  return joined(pieces);
}

class TextEncoderStream {
  #stream = new TransformStream({ transform: (text, controller) => controller.enqueue(encode(text)) });
  get encoding() {
    return "utf-8";
  }
  get readable() {
    return this.#stream.readable;
  }
  get writable() {
    return this.#stream.writable;
  }
}

class TextDecoderStream {
  #decoder;
  #stream;
  constructor(label, options) {
    this.#decoder = new TextDecoder(label, options);
    const pass = (controller, text) => text && controller.enqueue(text);
    this.#stream = new TransformStream({
      transform: (bytes, controller) => pass(controller, this.#decoder.decode(bytes, { stream: true })),
      flush: (controller) => pass(controller, this.#decoder.decode()),
    });
  }
  get encoding() {
    return "utf-8";
  }
  get fatal() {
    return this.#decoder.fatal;
  }
  get ignoreBOM() {
    return this.#decoder.ignoreBOM;
  }
  get readable() {
    return this.#stream.readable;
  }
  get writable() {
    return this.#stream.writable;
  }
}
