// hrefOf returns the address of a tool's page.
export function hrefOf(name: string): string {
  return `/tools/${encodeURIComponent(name)}`;
}
