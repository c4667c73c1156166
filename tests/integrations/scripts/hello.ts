// The smallest integration: one block that greets, and greets louder when its button is pressed.

import { integration, type Rendering } from "./runtime";

function greeting({ props, action }: Rendering) {
  const times = action?.action === "again" ? Number(props.times ?? 1) + 1 : Number(props.times ?? 1);
  const name = String(props.name ?? "world");
  console.info(`Greeting ${name}`, { times });
  return {
    props: { ...props, times },
    element: {
      type: "block",
      children: [
        { type: "markdown", content: `Hello ${name}${"!".repeat(times)}` },
        { type: "button", label: "Again", icon: "star", onPress: { action: "again" } },
      ],
    },
  };
}

export default integration({ components: { hello: greeting } });
