// Checks of names that become part of a path: a name such as ".." would lead to another
// operation of the API.
import { misused } from "./errors.js";

function checked(kind: string, pattern: RegExp, rule: string): (name: string) => string {
  return (name) => {
    if (!pattern.test(name)) throw misused(`the ${kind} must have ${rule}`);
    return name;
  };
}

export const callId = checked("call_id", /^[A-Za-z0-9_-]{1,128}$/, "1 to 128 letters, digits, underscores and hyphens");
export const consentId = checked("consent_id", /^[A-Za-z0-9_-]{1,128}$/, "1 to 128 letters, digits, underscores and hyphens");
export const traceId = checked("trace_id", /^[0-9a-f]{32}$/, "32 lower-case hex digits");
export const toolName = checked("name of the tool", /^(?=.{1,64}$)[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*$/, "letters, digits and underscores, in parts joined by dots, at most 64");

/** filePath returns the path of a file or directory below a workspace, encoded. */
export function filePath(path: string): string {
  const parts = path.split("/");
  if (parts.some((part) => part === "." || part === "..")) throw misused("the path of a file must not hold . or .. as a directory");
  return parts.map(encodeURIComponent).join("/");
}
