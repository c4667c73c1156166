// An import of a Git repository, with which the space stays connected.

import { html, useState } from "../vendor/preact.js";
import { ApiError } from "../api/client.js";
import { mutate } from "../api/queries.js";
import { Button } from "../parts/basic.js";
import { Form } from "../parts/forms.js";
import { say } from "../parts/overlays.js";
import { go } from "../router.js";
import { repositoryInput, RepositoryFields, useRepository } from "../space/git_fields.js";
import { t } from "../texts.js";

/** @param {{ organization: string, target: import("./target.js").TargetChoice, children: any }} props */
export function FromRepository({ organization, target, children }) {
  const repository = useRepository(null), [wrong, setWrong] = useState(/** @type {ApiError | null} */ (null)), [busy, setBusy] = useState(false);
  const [made, setMade] = useState("");
  const begin = async () => {
    setBusy(true);
    setWrong(null);
    try {
      let space = target.id || made;
      if (!space) {
        const title = repository.url.trim().replace(/\/+$/, "").replace(/\.git$/, "").split("/").at(-1) || t("import.from-git");
        space = (await mutate("CreateSpace", { organization, title: title.slice(0, 255) }, { refresh: ["OrganizationContent"] })).space.restId;
        setMade(space); // it is used again if the address was wrong
      }
      await mutate("ImportGitRepository", { space, ...repositoryInput(repository), standalone: target.reviewed });
      await go(`/o/${organization}/s/${space}/~/settings/git`);
    } catch (error) {
      if (error instanceof ApiError && error.path.length) setWrong(error);
      else say(/** @type {Error} */ (error));
    }
    setBusy(false);
  };
  return html`<${Form} onSubmit=${begin}>
    <${RepositoryFields} repository=${repository} wrong=${wrong} />
    ${children}
    <div><${Button} kind="main" type="submit" glyph="import" busy=${busy} disabled=${!repository.url.trim()}>${t("import.begin")}<//></div>
  <//>`;
}
