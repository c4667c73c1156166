// The fields that say which Git repository is meant, and the login for a private one.

import { html, useState } from "../vendor/preact.js";
import { Checkbox, TextField } from "../parts/forms.js";
import { t } from "../texts.js";

/**
 * Hold the fields of a repository, begun from that of a space if it has one.
 * @param {any} git what the API tells of the space's sync, null without one
 */
export function useRepository(git) {
  const [url, setUrl] = useState(git?.url ?? ""), [branch, setBranch] = useState(git?.ref ?? "main"), [directory, setDirectory] = useState(git?.directory ?? "");
  const [isPrivate, setPrivate] = useState(git?.hasLogin ?? false), [user, setUser] = useState(""), [token, setToken] = useState("");
  return { git, url, setUrl, branch, setBranch, directory, setDirectory, isPrivate, setPrivate, user, setUser, token, setToken };
}

/** @typedef {ReturnType<typeof useRepository>} Repository */

/**
 * Return the fields as the API wants them.
 * @param {Repository} repository
 */
export function repositoryInput({ git, url, branch, directory, isPrivate, user, token }) {
  const login = token ? { login: { user: user.trim(), token: token.trim() } } : git?.hasLogin && !isPrivate ? { login: null } : {};
  return { url: url.trim(), ref: branch.trim(), repoProjectDirectory: directory.trim(), ...login };
}

/** @param {{ repository: Repository, wrong: import("../api/client.js").ApiError | null }} props */
export function RepositoryFields({ repository: { git, isPrivate, setPrivate, ...held }, wrong }) {
  const at = (/** @type {string} */ name) => (wrong?.path.includes(name) ? wrong.message : null);
  const isKept = git?.hasLogin && held.url.trim() === git.url;
  return html`
    <${TextField} label=${t("git.url")} hint=${t("git.url-hint")} wrong=${at("url")} type="url" value=${held.url} onInput=${held.setUrl} required placeholder="https://" dir="ltr" />
    <${TextField} label=${t("git.branch")} wrong=${at("ref")} value=${held.branch} onInput=${held.setBranch} required dir="ltr" />
    <${TextField} label=${t("git.directory")} hint=${t("git.directory-hint")} wrong=${at("repoProjectDirectory")} value=${held.directory} onInput=${held.setDirectory} dir="ltr" />
    <${Checkbox} label=${t("git.private")} hint=${t("git.private-hint")} checked=${isPrivate} onChange=${setPrivate} />
    ${isPrivate && html`
      <${TextField} label=${t("git.token")} hint=${t(isKept ? "git.token-kept" : "git.token-hint")} wrong=${at("token")} type="password" autocomplete="off" value=${held.token} onInput=${held.setToken} required=${!isKept} dir="ltr" />
      <${TextField} label=${t("git.user")} hint=${t("git.user-hint")} wrong=${at("user")} autocomplete="off" value=${held.user} onInput=${held.setUser} dir="ltr" />`}`;
}
