import type { Text } from '../en';

export const common: Text['common'] = {
  close: 'Schließen',
  cancel: 'Abbrechen',
  retry: 'Noch einmal versuchen',
  loading: 'Wird geladen',
  all: 'Alle',
  search: 'Suchen',
  more: 'Mehr zeigen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  notCopied: 'Der Browser erlaubt hier kein Kopieren.',
  notFound: 'Nicht gefunden',
  notFoundText: 'Unter dieser Adresse gibt es keine Seite:',
  toInbox: 'Zum Eingang',
  goTo: 'Weiter zu:',
  needsTenant: 'Diese Seite betrifft das System aller Mandanten. Sie erfordert eine Person des Mandanten default.',
  forbidden: 'Nicht erlaubt',
  needsRole: (roles) => `Diese Seite erfordert die Rolle ${roles.join(' oder ')}.`,
  stale: (why) => `Die Anzeige ist möglicherweise veraltet. ${why}`,
  otherTitle: 'Jemand anderes ist angemeldet',
  other: (shown, now) => `Diese Seite zeigt ${shown}, aber in einem anderen Tab dieses Browsers hat sich ${now} angemeldet. Es wurde nichts getan.`,
  goOnAs: (now) => `Weiter als ${now}`,
};

export const roles: Text['roles'] = {
  user: 'Benutzer', approver: 'Genehmiger', auditor: 'Prüfer', admin: 'Verwalter', agent: 'Agent', remote: 'Remote',
};

export const nav: Text['nav'] = {
  skip: 'Zum Inhalt springen',
  label: 'Hauptmenü',
  menu: 'Menü',
  waiting: 'offen',
  preferences: 'Einstellungen',
  theme: 'Farben',
  themeSystem: 'Wie das System',
  themeLight: 'Hell',
  themeDark: 'Dunkel',
  language: 'Sprache',
  times: 'Zeiten',
  timesRelative: 'Wie lange her',
  timesBoth: 'Wie lange her, mit Datum und Uhrzeit',
  signOut: 'Abmelden',
  nobody: 'Niemand angemeldet',
  notice: 'Hinweis',
  open: 'Keine Anmeldung: Jeder Prozess auf diesem Rechner darf hier alles.',
  actor: 'Ihr Name',
  actorHint: 'Entscheidungen tragen ihn. Ist er leer, tragen sie den Namen der gefragten Person.',
  tenant: 'Mandant',
  groups: { work: 'Arbeit', tools: 'Werkzeuge', operate: 'Betrieb', trail: 'Protokoll' },
};

export const login: Text['login'] = {
  title: 'Anmelden',
  key: 'API-Schlüssel',
  withKey: 'Mit dem Schlüssel anmelden',
  oidc: 'Anmelden',
  already: 'Sie sind angemeldet.',
  open: 'Dieses Helve hat keine Anmeldung.',
  go: 'Weiter',
  none: 'Dieses Helve bietet keine Anmeldung mit dem Browser. Ein Betreiber richtet Schlüssel oder OpenID Connect ein.',
  errors: {
    denied: 'Die Anmeldung wurde abgelehnt.',
    expired: 'Die Anmeldung hat zu lange gedauert oder wurde schon benutzt. Beginnen Sie von vorn.',
    refused: 'Sie sind angemeldet, aber dieses Helve kennt für Sie keinen Mandanten, Benutzer oder keine Rolle. Fragen Sie den Betreiber.',
    unavailable: 'Der Anmeldedienst antwortet gerade nicht. Versuchen Sie es später noch einmal.',
  },
};

export const plain: Text['plain'] = {
  left: (n) => `… ${n.toLocaleString('de')} weitere Zeichen`,
  less: 'Weniger zeigen',
  more: (n) => `${n.toLocaleString('de')} weitere zeigen`,
  same: 'Kein Unterschied.',
  sameLines: (n) => `${n.toLocaleString('de')} unveränderte Zeilen`,
  added: ' hinzugefügt: ',
  removed: ' entfernt: ',
  kinds: {
    control: 'Steuerzeichen', direction: 'ändert die Richtung des Textes', invisible: 'unsichtbares Zeichen', lookalike: 'sieht wie ein anderer Buchstabe aus',
  },
};

export const time: Text['time'] = { over: 'abgelaufen' };

export const status: Text['status'] = {
  success: 'Erfolg', error: 'Fehler', pending: 'Wartet', queued: 'In der Schlange', running: 'Läuft', awaiting_consent: 'Wartet auf eine Person', waiting: 'Programm wartet', done: 'Fertig',
  granted: 'Erlaubt', denied: 'Abgelehnt', expired: 'Abgelaufen', cancelled: 'Abgebrochen', refused: 'Verweigert', ok: 'In Ordnung', warning: 'Warnung', outcome_unknown: 'Ausgang unbekannt',
};

export const risk: Text['risk'] = { low: 'Geringes Risiko', medium: 'Mittleres Risiko', high: 'Hohes Risiko' };

export const riskMeans: Text['riskMeans'] = {
  low: 'Bleibt im Arbeitsbereich und lässt sich rückgängig machen',
  medium: 'Zerstört etwas oder wirkt nach außen',
  high: 'Führt Code aus',
};

export const problems: Text['problems'] = (p) => {
  if (p.type === 'unreachable') return 'Helve antwortet nicht. Die Seite versucht es von selbst wieder.';
  if (p.message) return p.message;
  return p.status ? `Die Anfrage ist fehlgeschlagen (${p.status}).` : 'Die Anfrage ist fehlgeschlagen.';
};
