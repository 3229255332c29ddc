import type { Text } from '../en';

export const custom: Text['custom'] = {
  title: 'Eigene Werkzeuge',
  intro: 'JavaScript, das Agenten geschrieben haben, jedes Mal mit Zustimmung der Person, der es gehört.',
  empty: 'Keine eigenen Werkzeuge.',
  emptyText: 'Wenn ein Agent ein Werkzeug schreibt und eine Person es erlaubt, erscheint es hier.',
  details: 'Eigenes Werkzeug', open: 'Öffnen',
  openOf: (name) => `${name} öffnen`,
  name: 'Name', description: 'Beschreibung', owner: 'Besitzer', state: 'Zustand', risk: 'Risiko', changed: 'Geändert', version: 'Version',
  on: 'An', off: 'Aus', sharedBadge: 'Geteilt',
  shared: 'Geteilt',
  sharedVersion: (n) => `Version ${n}, von`,
  number: (n) => n.toLocaleString('de'),
  permissions: 'Berechtigungen', hosts: 'Hosts, die es erreicht',
  changes: (from, to) => `Änderungen von Version ${from}, die geteilt ist, zu Version ${to}`,
  code: 'Code', parameters: 'Parameter',
  turnOn: 'Einschalten', turnOff: 'Ausschalten', isOn: 'Eingeschaltet.', isOff: 'Ausgeschaltet.',
  share: (version) => `Version ${version} teilen`, isShared: 'Mit allen im Mandanten geteilt.',
  unshare: 'Zurücknehmen', isUnshared: 'Nur sein Besitzer hat es jetzt.',
  try: 'Ausprobieren',
  delete: 'Löschen', deleteSure: 'Ja, löschen', deleted: 'Gelöscht.',
};
