// Mounts the GraphQL editor on the page's own address and sends the token from the field at the top.
"use strict";

const TOKEN_KEY = "docyard.token";

// Who signed in by single sign-on needs no token: the browser keeps the session, and tells only that it does.
const SIGNED_IN = /(?:^|; )docyard_signed_in=1(?:;|$)/;

const FIRST_QUERY = `# Paste a token above: it is sent
# with every query and forgotten
# when this tab is closed.
# Ctrl-Enter runs the query.

query {
  me {
    organizations {
      nodes {
        id
        title
      }
    }
  }
}
`;

const endpoint = location.origin + location.pathname;
const field = document.getElementById("token");
const root = ReactDOM.createRoot(document.getElementById("graphiql"));

function fetcherWith(token) {
  return async (query) => {
    if (!token && !SIGNED_IN.test(document.cookie)) {
      return { errors: [{ message: "Paste a token above: nothing is sent without one." }] };
    }
    const caller = token ? { Authorization: `Bearer ${token}` } : { "X-Docyard-Session": "1" };
    const accept = "application/json, text/event-stream";
    const headers = { Accept: accept, "Content-Type": "application/json", ...caller };
    const control = new AbortController();
    const sent = { method: "POST", headers, body: JSON.stringify(query), signal: control.signal };
    const answer = await fetch(endpoint, sent);
    if (answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return events(answer, control);
    const text = await answer.text();
    try {
      return JSON.parse(text);
    } catch {
      return { errors: [{ message: `The server answered ${answer.status}: ${text.slice(0, 500)}` }] };
    }
  };
}

// Gives the results of a subscription until it is complete, or the editor stops it.
function events(answer, control) {
  const results = read(answer.body.pipeThrough(new TextDecoderStream()).getReader());
  const ended = { done: true, value: undefined };
  const iterator = {
    next: () => results.next().catch((error) => (control.signal.aborted ? ended : Promise.reject(error))),
    return: async () => {
      control.abort();
      return ended;
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

async function* read(reader) {
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("The connection ended; run the subscription again.");
    const told = (rest + value).split("\n\n");
    rest = told.pop();
    for (const event of told) {
      if (/^event: complete$/m.test(event)) return;
      const [, data] = /^data: (.*)$/m.exec(event) ?? [];
      if (data) yield JSON.parse(data);
    }
  }
}

// A new fetcher makes the editor read the schema again, so a token entered late is enough.
// The editor's own headers panel stays off: its history would keep a token on disk.
function show() {
  const token = field.value.trim();
  sessionStorage.setItem(TOKEN_KEY, token);
  root.render(
    React.createElement(GraphiQL, {
      fetcher: fetcherWith(token),
      defaultQuery: FIRST_QUERY,
      inputValueDeprecation: true,
      isHeadersEditorEnabled: false,
      showPersistHeadersSettings: false,
    }),
  );
}

if (SIGNED_IN.test(document.cookie)) field.placeholder = "signed in; or paste a bearer token";
field.value = sessionStorage.getItem(TOKEN_KEY) ?? "";
field.addEventListener("change", show);
show();
