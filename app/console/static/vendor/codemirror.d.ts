export * from "@codemirror/state";
export * from "@codemirror/view";
export * from "@codemirror/commands";
export * from "@codemirror/autocomplete";
export * from "@codemirror/search";
export * from "@codemirror/language";
export { GFM, parser, type BlockParser, type InlineParser, type MarkdownConfig } from "@lezer/markdown";
export { Tag, tags } from "@lezer/highlight";
