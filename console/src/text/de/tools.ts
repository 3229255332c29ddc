import type { Text } from '../en';

const number = (n: number) => n.toLocaleString('de');

export const tools: Text['tools'] = {
  title: 'Werkzeuge',
  found: (n) => (n === 1 ? '1 Werkzeug' : `${number(n)} Werkzeuge`),
  empty: 'Keine Werkzeuge.',
  emptyText: 'Werkzeuge erscheinen hier, sobald ein Worker läuft, der sie hat.',
  emptyFiltered: 'Kein Werkzeug passt. Suchen Sie mit weniger oder anderen Wörtern.',
  name: 'Name', description: 'Beschreibung', group: 'Gruppe', category: 'Kategorie', risk: 'Risiko',
  off: 'Aus',
  offText: 'Dieses Werkzeug ist ausgeschaltet.',
  loadErrors: (n) => (n === 1 ? '1 Definition wurde nicht geladen' : `${number(n)} Definitionen wurden nicht geladen`),
  loadErrorsText: 'Worker haben diese Dateien gelesen und das Fehlerhafte darin ausgelassen.',
  entry: (n) => `Definition ${n + 1}`,
  effect: 'Wirkung',
  destroys: 'Zerstört oder überschreibt etwas', changes: 'Ändert etwas', reads: 'Liest nur',
  again: 'Zweimal ausgeführt',
  idempotent: 'Wirkt wie einmal', once: 'Kann zweimal wirken',
  kind: 'Art',
  kinds: { builtin: 'Eingebaut', js: 'JavaScript-Datei', dynamic: 'Eigenes Werkzeug', remote: 'Entfernter Worker', mcp: 'MCP-Server', openapi: 'OpenAPI-Dienst' },
  pool: 'Pool', timeout: 'Zeitgrenze', version: 'Version', aliases: 'Andere Namen',
  seconds: (n) => `${number(n)} s`,
  number,
  definition: 'Definition', example: 'Beispiel', parameters: 'Parameter', resultSchema: 'Ergebnis', whole: 'Alles als JSON',
  try: 'Ausprobieren',
  noParameters: 'Es nimmt keine Argumente.',
  user: 'Für die Person',
  userHint: 'Der Aufruf geschieht für diese Person; sie wird gefragt, wenn er eine Zustimmung braucht.',
  optional: 'freiwillig',
  choose: 'Auswählen', unset: 'Nicht gesetzt',
  asJSON: 'Als JSON schreiben.',
  run: 'Ausführen',
  running: 'Läuft',
  toCall: 'Aufruf öffnen',
  waits: 'Er wartet auf eine Person. Anfrage öffnen',
  wrong: (w) => {
    switch (w.why) {
      case 'required': return 'Bitte ausfüllen.';
      case 'number': return 'Geben Sie eine Zahl ein, mit Punkt, wie 2.5.';
      case 'integer': return 'Geben Sie eine ganze Zahl ein.';
      case 'precision': return 'Diese Zahl hat mehr Stellen, als die Seite senden kann.';
      case 'json': return 'Das ist kein JSON. Texte brauchen doppelte Anführungszeichen.';
      case 'choice': return 'Wählen Sie einen der Werte.';
      case 'min': return `Geben Sie ${number(w.n)} oder mehr ein.`;
      case 'max': return `Geben Sie ${number(w.n)} oder weniger ein.`;
      case 'minLength': return `Geben Sie mindestens ${number(w.n)} Zeichen ein.`;
      case 'maxLength': return `Geben Sie höchstens ${number(w.n)} Zeichen ein.`;
    }
  },
  users: 'Wer es benutzen darf',
  consent: 'Zustimmung', 
  decided: { run: 'Läuft ohne Frage', ask: 'Erst wird eine Person gefragt', refuse: 'Nach den Regeln verweigert' } as Record<string, string>,
  depends: 'Regeln prüfen die Argumente: Ein Aufruf kann anders entschieden werden.', undecided: 'Zurzeit nicht bekannt',
  permissions: 'Berechtigungen', none: 'Keine nötig',
  tenants: 'Nur Mandanten', agents: 'Nur Agenten', conversations: 'Nur Unterhaltungen',
  rules: 'Agenten mit eigenen Regeln', noRules: 'Kein Agent hat eigene Regeln. Jeder hat die Gruppen, die von vornherein an sind.',
  allowed: 'Erlaubt', denied: 'Nicht erlaubt',
  sort: 'Reihenfolge',
  orders: { name: 'Nach Namen', calls: 'Meiste Aufrufe', errors: 'Meiste Fehler', time: 'Langsamste' },
  over: (calls, errors) => `${number(calls)} Aufrufe in 24 Stunden, ${number(errors)} fehlgeschlagen`,
  stats: 'Seine Aufrufe',
  noCalls: 'Keine Aufrufe seit',
  calls: 'Aufrufe', errors: 'Fehler', median: 'Mittlere Dauer', p99: '99 von 100 in', last: 'Letzter Aufruf', since: 'Gezählt seit',
  share: (n, of) => `${number(n)} (${(n / Math.max(1, of)).toLocaleString('de', { style: 'percent', maximumFractionDigits: 1 })})`,
};
