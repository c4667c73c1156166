// An integration with content sources: pages about lamps, what they know of another space, and answers that
// are wrong in the ways that its configuration names.

import { createContentSource, createIntegration, ExposableError, type RuntimeContext } from "@gitbook/runtime";

type Fault = "throws" | "hangs" | "no pages" | "no document" | "no title" | "large" | "many";
type Almanac = { lamps?: string[]; broken?: boolean; nested?: boolean; fault?: Fault; words?: string; picture?: string };
type Lamp = { lamp: string; words?: string };

const paragraph = (text: string, data: object = {}) => ({
  object: "block" as const,
  type: "paragraph" as const,
  data,
  nodes: [{ object: "text" as const, leaves: [{ object: "leaf" as const, text, marks: [] }] }],
});

function configured(context: RuntimeContext): Almanac {
  return (context.environment.installation?.configuration ?? {}) as Almanac;
}

function sourceOf(context: RuntimeContext, source: string) {
  return `integration:${context.environment.integration.name}:${source}` as const;
}

function failing(fault: Fault | undefined): object | undefined {
  if (fault === "throws") throw new Error("The oil is gone.");
  if (fault === "hangs") for (;;);
  if (fault === "no pages") return { pages: "none" };
  if (fault === "no title") return { pages: [{ type: "document", title: " " }] };
  if (fault === "large") return { pages: [{ title: "Large", description: "x".repeat(3_000_000) }] };
  if (fault === "many") return { pages: Array.from({ length: 501 }, (_, n) => ({ title: `Lamp ${n}` })) };
  return undefined;
}

const almanac = createContentSource<{ place: string }, Lamp>({
  sourceId: "almanac",
  async getRevision({ props }, context) {
    const { lamps = ["north", "south"], broken, nested, fault, words, picture } = configured(context);
    if (broken) throw new ExposableError("The lamps are out.", 503);
    const wrong = failing(fault);
    if (wrong) return wrong as never;
    console.log("asked for pages");
    const pages = lamps.map((lamp) => ({
      id: lamp,
      type: "document" as const,
      title: `The ${lamp} lamp`,
      description: `In ${props.place}`,
      computed: { type: sourceOf(context, "almanac"), props: { lamp, words } },
    }));
    const home = { kind: "url" as const, url: "https://lamps.example.org/" };
    const years = { type: "computed" as const, title: "Years", computed: { type: sourceOf(context, "years"), props: {} } };
    return {
      files: picture ? [{ id: "map", name: "map.png", downloadURL: picture }] : [],
      pages: [
        { type: "group" as const, title: "Lamps", pages },
        { type: "link" as const, title: "All lamps", target: home },
        ...(nested ? [years] : []),
      ],
    } as never;
  },
  async getPageDocument({ props, dependencies }, context) {
    console.log(`asked for ${props.lamp}`);
    if (configured(context).fault === "no document") return { object: "document", data: {}, nodes: [{}] } as never;
    if (props.words !== undefined) return { markdown: props.words } as never;
    const seen = dependencies as Record<string, { value: { revision?: string } }>;
    const text = `${props.lamp} shines on ${seen.guide?.value.revision ?? "nothing"}.`;
    return { object: "document", data: {}, nodes: [paragraph(text)] };
  },
});

const years = createContentSource<object, { year: number }>({
  sourceId: "years",
  async getRevision(_, context) {
    const computed = (year: number) => ({ type: sourceOf(context, "years"), props: { year } });
    const pages = [1843, 1844].map((year) => ({ type: "document" as const, title: `${year}`, computed: computed(year) }));
    return { pages } as never;
  },
  async getPageDocument({ props }) {
    return { markdown: `In ${props.year} it was dark.` } as never;
  },
});

export default createIntegration({ contentSources: [almanac, years] });
