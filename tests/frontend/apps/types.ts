// What TypeScript makes of the documents of the API: enumerations and unions are closed sets, inputs are checked.
import {
  ChangeRequestStatus,
  type CoverFieldsFragment,
  type MergeChangeRequestMutation,
  type PostCommentInSpaceMutationVariables,
  type RedirectFieldsFragment,
} from "./operations/graphql";

export function label(status: ChangeRequestStatus): string {
  switch (status) {
    case ChangeRequestStatus.Draft:
      return "Draft";
    case ChangeRequestStatus.Open:
    case "OPEN":
      return "Open";
    case ChangeRequestStatus.Merged:
      return "Merged";
    case ChangeRequestStatus.Archived:
      return "Archived";
    default:
      return status satisfies never;
  }
}

// @ts-expect-error There is no such status.
label("CLOSED");

export function address(cover: CoverFieldsFragment): string | undefined {
  const { ref } = cover;
  return ref?.__typename === "UrlReference" ? ref.url : ref?.fileId;
}

export function destination({ destination: to }: RedirectFieldsFragment): string | null {
  switch (to.__typename) {
    case "ToPage":
      return to.pageId;
    case "ToSection":
      return to.siteSectionId;
    case "ToSpace":
      return to.siteSpaceId;
    case "ToPath":
      return to.path;
    case "ToExternal":
      return to.url;
    default:
      return to satisfies never;
  }
}

export function merged({ mergeChangeRequest: payload }: MergeChangeRequestMutation): boolean {
  return payload.result === "MERGE" && payload.userErrors.every(({ code }) => code !== "CONFLICT");
}

export const comments: PostCommentInSpaceMutationVariables[] = [
  { input: { space: "space", body: { markdown: "Both forms are allowed, one at a time." } } },
  // @ts-expect-error A comment has a body.
  { input: { space: "space" } },
];
