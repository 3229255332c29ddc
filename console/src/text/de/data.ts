import type { Text } from '../en';

const number = (n: number) => n.toLocaleString('de');

export const data: Text['data'] = {
  title: 'Persönliche Daten',
  about: 'Was Werkzeuge von einer Person aufbewahren, nach Sammlung. Dateien, eigene Werkzeuge, gemerkte Antworten und Einträge von Diensten haben eigene Seiten.',
  whose: 'Geben Sie an, um wessen Daten es geht.',
  collection: 'Sammlung',
  items: 'Einträge',
  size: 'Byte',
  number,
  all: (n, bytes) => `${number(n)} ${n === 1 ? 'Eintrag' : 'Einträge'} mit ${number(bytes)} Byte.`,
  empty: 'Nichts ist aufbewahrt.',
  emptyText: 'Notizen, Aufgaben, Kontakte und alles andere, was Werkzeuge für die Person speichern, wird hier gezählt.',
  format: 'Format der Datei',
  formats: { jsonl: 'Alles (JSON-Zeilen)', csv: 'Ausgaben (CSV)', ics: 'Kalender (iCalendar)', vcf: 'Kontakte (vCard)', html: 'Lesezeichen (HTML)' },
  export: 'Exportieren',
  erase: 'Alles löschen',
  eraseTitle: 'Alle Daten dieser Person löschen?',
  eraseText: 'Einträge, Dateien, eigene Werkzeuge, gemerkte Antworten, Einträge von Diensten, geplante Aufgaben und gespeicherte Ergebnisse werden gelöscht. Nur das Protokoll bleibt. Das lässt sich nicht rückgängig machen und kann etwas dauern.',
  sure: (user) => `Zur Bestätigung ${user} eingeben`,
  erased: 'Die Daten sind gelöscht.',
  gone: (items, results) => `${number(items)} ${items === 1 ? 'Eintrag' : 'Einträge'} und ${number(results)} ${results === 1 ? 'Ergebnis' : 'Ergebnisse'} von Aufrufen wurden gelöscht.`,
  left: 'Was noch eine Weile bleibt:',
};
