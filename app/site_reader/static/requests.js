// Servers to choose from, and requests that are sent from the reader's browser to one of them.
//
// Credentials stay here: in the storage of this tab, by the site and by the server they are for, so that
// nothing typed for one is offered to another. No request carries the reader's cookies.
const LONGEST = 300000; // characters that are shown
const STORED = "docyard-credentials";

const made = (name, fields = {}, ...inside) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(fields)) {
    if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...inside);
  return element;
};

let count = 0;
const labelled = (title, input, about) => {
  input.id = `~try-${++count}`;
  const label = made("label", { htmlFor: input.id }, title);
  if (about) label.append(made("small", {}, about));
  return made("div", { className: "entry" }, label, input);
};
const chosen = (values, value) => {
  const select = made("select", {}, ...values.map(([key, said]) => made("option", { value: key }, said)));
  if (value !== undefined) select.value = value;
  return select;
};

// The chosen server, with what was chosen of its address
const address = (server, values) => {
  let url = server.template;
  for (const { name } of server.variables) url = url.replaceAll(`{${name}}`, values[name] ?? "");
  try { return new URL(url, location.href).href.replace(/\/+$/, ""); } catch { return url; }
};
const servers = (about, place, changed) => {
  const { texts } = about, fields = made("div", { className: "entries" });
  const usable = about.servers.filter((server) => server.reachable);
  const state = { url: about.shown };
  let values = {};
  const tell = (server) => { state.url = address(server, values); changed(state.url); };
  const show = (server) => {
    values = Object.fromEntries(server.variables.map((variable) => [variable.name, variable.default]));
    fields.replaceChildren(...server.variables.map((variable) => {
      const { name, enum: known } = variable;
      const input = known.length ? chosen(known.map((each) => [each, each]), variable.default)
        : made("input", { value: variable.default, maxLength: 200, spellcheck: false });
      input.addEventListener("input", () => { values[name] = input.value; tell(server); });
      return labelled(name, input, variable.description);
    }));
    tell(server);
  };
  if (usable.length) {
    const select = chosen(usable.map((server, number) => [String(number), server.description ? `${server.description} · ${server.template}` : server.template]));
    select.addEventListener("change", () => show(usable[Number(select.value)]));
    if (usable.length > 1 || usable[0].variables.length) place.append(labelled(texts.server, select), fields);
    if (usable[0] !== about.servers[0] || usable[0].variables.length) show(usable[0]);
    else state.url = address(usable[0], {});
  }
  return { state, isUsable: usable.length > 0 };
};

// Code samples follow the chosen server
const follow = (samples, from, to) => {
  const walker = document.createTreeWalker(samples, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.data.includes(from)) node.data = node.data.replaceAll(from, to);
  }
};

const stored = (base, url) => {
  const key = () => `${STORED} ${base} ${new URL(url()).origin}`;
  return {
    read() { try { return JSON.parse(sessionStorage.getItem(key()) ?? "{}"); } catch { return {}; } },
    write(values) { try { sessionStorage.setItem(key(), JSON.stringify(values)); } catch { /* not kept */ } },
    forget() { try { sessionStorage.removeItem(key()); } catch { /* nothing is kept */ } },
  };
};

const credentials = (about, kept) => {
  const { texts, security } = about, place = made("fieldset", {}, made("legend", {}, texts.credentials));
  const fields = made("div", { className: "entries" });
  let inputs = [], way = [];
  const show = (number) => {
    way = security[number] ?? [];
    const known = kept.read();
    inputs = way.flatMap((scheme) => {
      if (scheme.in === "cookie") return [];
      const parts = scheme.scheme === "basic" ? ["user", "password"] : ["token"];
      return parts.map((part) => ({
        scheme, part,
        input: made("input", {
          type: part === "user" ? "text" : "password", autocomplete: "off", spellcheck: false, maxLength: 8000,
          value: known[`${scheme.name} ${part}`] ?? "",
        }),
      }));
    });
    fields.replaceChildren(
      ...inputs.map(({ scheme, part, input }) => labelled([...new Set([scheme.name, texts[part]])].join(" · "), input)),
      ...way.filter((scheme) => scheme.in === "cookie").map((scheme) => made("p", {}, `${scheme.name}: ${texts.cookie}`)),
    );
    for (const { input } of inputs) input.addEventListener("input", () => kept.write(Object.fromEntries(
      inputs.map((each) => [`${each.scheme.name} ${each.part}`, each.input.value]))));
  };
  if (security.length > 1) {
    const named = security.map((each, number) => [String(number), each.map(({ name }) => name).join(" + ") || texts.none]);
    const select = chosen(named);
    select.setAttribute("aria-label", texts.credentials);
    select.addEventListener("change", () => show(Number(select.value)));
    place.append(select);
  }
  const forget = made("button", { type: "button", className: "button" }, texts.forget);
  forget.addEventListener("click", () => { kept.forget(); for (const { input } of inputs) input.value = ""; });
  place.append(fields, made("p", {}, texts.kept), forget);
  show(0);
  const given = (scheme, part) => inputs.find((each) => each.scheme === scheme && each.part === part)?.input.value ?? "";
  return {
    place: security.some((each) => each.length) ? place : null,
    again: () => show(Math.max(0, security.indexOf(way))),
    add(query, headers) {
      for (const scheme of way) {
        const token = given(scheme, "token"), user = given(scheme, "user");
        if (scheme.type === "apiKey" && scheme.in === "query" && token) query.append(scheme.parameter, token);
        else if (scheme.type === "apiKey" && scheme.in === "header" && token) headers.set(scheme.parameter, token);
        else if (scheme.scheme === "basic" && user) {
          const bytes = new TextEncoder().encode(`${user}:${given(scheme, "password")}`);
          headers.set("Authorization", `Basic ${btoa(String.fromCharCode(...bytes))}`);
        } else if (scheme.type !== "apiKey" && token) headers.set("Authorization", `Bearer ${token}`);
      }
    },
  };
};

const parameters = (about) => {
  const { texts } = about;
  const inputs = about.parameters.filter(({ in: place }) => place !== "cookie").map((parameter) => {
    const values = parameter.required ? parameter.enum : ["", ...parameter.enum];
    const input = parameter.enum.length ? chosen(values.map((each) => [each, each || "–"]), parameter.value || values[0])
      : made("input", { value: parameter.value, placeholder: parameter.hint.slice(0, 100), spellcheck: false });
    input.required = parameter.required;
    return { parameter, input };
  });
  const each = ({ parameter, input }) => labelled(parameter.name, input, parameter.required ? "*" : "");
  return {
    fields: inputs.map(each),
    path(path, query, headers) {
      let filled = path;
      for (const { parameter, input } of inputs) {
        const { name, in: place } = parameter, value = input.value;
        if (parameter.required && !value) { input.focus(); throw new Error(texts.missing.replace("{name}", name)); }
        if (place === "path") filled = filled.replaceAll(`{${name}}`, encodeURIComponent(value));
        else if (value && place === "header") headers.set(name, value);
        else if (value && place === "query") {
          for (const part of parameter.list && parameter.explode ? value.split(",") : [value]) query.append(name, part);
        }
      }
      return filled;
    },
  };
};

const bodies = (about) => {
  const { texts } = about, place = made("fieldset", {}, made("legend", {}, texts.body));
  const inside = made("div", { className: "entries" });
  let body = null, inputs = [];
  const show = (number) => {
    body = about.bodies[number];
    if (body.fields.length) {
      inputs = body.fields.map((field) => ({ field, input: made("input", field.file ? { type: "file" } : { value: field.value }) }));
      inside.replaceChildren(...inputs.map(({ field, input }) => labelled(field.name, input)));
    } else {
      const input = body.file ? made("input", { type: "file" }) : made("textarea", { value: body.value, rows: 10, spellcheck: false });
      inputs = [{ input }];
      inside.replaceChildren(labelled(body.file ? texts.file : body.type, input));
    }
  };
  if (!about.bodies.length) return { place: null, sent: () => undefined };
  if (about.bodies.length > 1) {
    const select = chosen(about.bodies.map(({ type }, number) => [String(number), type]));
    select.setAttribute("aria-label", texts.body);
    select.addEventListener("change", () => show(Number(select.value)));
    place.append(select);
  }
  place.append(inside);
  show(0);
  return {
    place,
    sent(headers) {
      const value = ({ input }) => (input.type === "file" ? input.files[0] : input.value);
      if (body.fields.length) {
        const parts = inputs.map((each) => [each.field.name, value(each)]).filter(([, each]) => each);
        if (!body.type.startsWith("multipart/")) return new URLSearchParams(parts.filter(([, each]) => typeof each === "string"));
        const form = new FormData(); // which says itself what is between its parts
        for (const [name, each] of parts) form.append(name, each);
        return form;
      }
      headers.set("Content-Type", body.type);
      return value(inputs[0]);
    },
  };
};

// An answer is shown as text, never as a page
const shown = async (texts, answer, milliseconds) => {
  const blob = await answer.blob(), kind = answer.headers.get("content-type") ?? "";
  const size = blob.size < 1000 ? `${blob.size} B` : `${(blob.size / 1000).toFixed(1)} kB`;
  const place = made("div", { className: "answer" });
  place.append(made("p", { className: "limits" }, made("code", {}, `${answer.status} ${answer.statusText}`.trim()), ` ${Math.round(milliseconds)} ms · ${size}`));
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  if (headers) place.append(made("details", {}, made("summary", {}, texts.headers), made("pre", { tabIndex: 0 }, made("code", {}, headers))));
  if (!blob.size) place.append(made("p", {}, texts.empty));
  else if (/json|text|xml|yaml|javascript|csv|urlencoded/i.test(kind)) {
    const said = await blob.slice(0, 4 * LONGEST).text();
    let text = said;
    if (/json/i.test(kind)) try { text = JSON.stringify(JSON.parse(said), null, 2); } catch { /* as it came */ }
    const code = made("code");
    code.textContent = text.slice(0, LONGEST);
    place.append(made("figure", { className: "code" }, made("pre", { tabIndex: 0 }, code)));
    if (text.length > LONGEST || blob.size > 4 * LONGEST) place.append(made("p", {}, texts.cut));
  } else place.append(made("p", {}, kind || texts.body));
  if (blob.size) {
    const named = /filename="?([^";]+)/i.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? "response";
    const href = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
    place.append(made("a", { className: "button", href, download: named }, texts.download));
  }
  return place;
};

const open = (about, chosenServer, base) => {
  const { texts } = about;
  const kept = stored(base, () => chosenServer.state.url);
  const proof = credentials(about, kept), given = parameters(about), body = bodies(about);
  const send = made("button", { className: "button primary" }, texts.send);
  const target = made("code"), result = made("div", { role: "status", tabIndex: -1 });
  const form = made("form", { className: "trial", noValidate: true }, made("p", {}, `${about.method} `, target),
    ...[proof.place, ...given.fields, body.place].filter(Boolean), send, result);
  form.setAttribute("aria-label", texts.title);
  let running = null;
  const tell = () => { target.textContent = chosenServer.state.url + about.path; };
  tell();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (running) { running.abort(); return; }
    const began = performance.now(), query = new URLSearchParams(), headers = new Headers();
    let refused = false;
    const note = () => { refused = true; };
    try {
      const path = given.path(about.path, query, headers);
      proof.add(query, headers);
      const sent = ["GET", "HEAD"].includes(about.method) ? undefined : body.sent(headers);
      const asked = String(query), url = chosenServer.state.url + path + (asked ? `?${asked}` : "");
      running = new AbortController();
      send.textContent = texts.cancel;
      result.textContent = texts.sending;
      addEventListener("securitypolicyviolation", note);
      const answer = await fetch(url, {
        method: about.method, headers, body: sent, signal: running.signal,
        credentials: "omit", cache: "no-store", mode: "cors", referrerPolicy: "no-referrer",
      });
      result.replaceChildren(await shown(texts, answer, performance.now() - began));
    } catch (error) {
      if (error.name === "AbortError") result.textContent = "";
      else if (!running) result.replaceChildren(made("p", { className: "failed" }, error.message));
      else {
        await new Promise((done) => { setTimeout(done); }); // what the policy refuses is told a moment later
        result.replaceChildren(made("p", { className: "failed" }, (refused ? texts.refused : texts.failed).replace("{origin}", location.origin)));
      }
    }
    removeEventListener("securitypolicyviolation", note);
    running = null;
    send.textContent = texts.send;
  });
  return { form, changed() { tell(); proof.again(); } };
};

// Every place that has an operation
for (const place of document.querySelectorAll("[data-try]")) {
  const about = JSON.parse(place.querySelector("script").textContent);
  const beside = place.parentElement, button = place.querySelector("button");
  let shownUrl = about.shown, opened = null;
  const choice = made("div", { className: "entries" });
  const changed = (url) => {
    for (const samples of beside.querySelectorAll(".samples")) follow(samples, shownUrl, url);
    shownUrl = url;
    opened?.changed();
  };
  const chosenServer = servers(about, choice, changed);
  (beside.querySelector(".servers") ?? button).before(choice);
  if (choice.childElementCount) beside.querySelector(".servers")?.remove();
  place.hidden = false;
  button.addEventListener("click", () => {
    opened ??= chosenServer.isUsable ? open(about, chosenServer, place.dataset.base) : { form: made("p", {}, about.texts["no-server"]), changed() {} };
    button.before(opened.form);
    button.hidden = true;
    (opened.form.querySelector("input, select, textarea, button") ?? opened.form).focus();
  });
}

// The language of code samples is the one that was chosen last
const LANGUAGE = "docyard-samples";
const languages = [...document.querySelectorAll(".samples label")];
for (const label of languages) label.control?.addEventListener("change", () => {
  try { localStorage.setItem(LANGUAGE, label.textContent); } catch { /* not remembered */ }
});
try {
  const known = localStorage.getItem(LANGUAGE);
  for (const label of languages) if (label.textContent === known) label.control.checked = true;
} catch { /* the first one */ }
