declare module 'runbooks' {
  const pages: ReadonlyMap<string, string>;
  export default pages;
}

declare module '*.svg' {
  const url: string;
  export default url;
}
