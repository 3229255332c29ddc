import type { Text } from '../en';

const number = (n: number) => n.toLocaleString('de');

export const files: Text['files'] = {
  title: 'Dateien',
  found: (n, more) => `${number(n)}${more ? ' oder mehr' : ''} ${n === 1 ? 'Datei' : 'Dateien'}`,
  file: 'Datei',
  empty: 'Keine Dateien.',
  emptyText: 'Was Werkzeuge für Sie schreiben und was Sie für sie hochladen, erscheint hier.',
  emptyFiltered: 'Keine Datei passt zu diesen Filtern.',
  search: 'Einen Teil des Pfads suchen',
  directory: 'Verzeichnis',
  path: 'Pfad',
  size: 'Größe',
  bytes: (n) => `${number(n)} Byte`,
  modified: 'Geändert',
  contents: 'Inhalt',
  part: (n) => `Die ersten ${number(n)} Byte.`,
  blank: 'Die Datei ist leer.',
  binary: 'Die Datei ist kein Text. Laden Sie sie herunter, um sie zu sehen.',
  download: 'Herunterladen',
  remove: 'Löschen',
  removeTitle: 'Diese Datei löschen?',
  removeText: 'Sie wird aus dem Arbeitsbereich entfernt, auch für Werkzeuge.',
  removed: 'Die Datei ist gelöscht.',
  upload: 'Hochladen',
  uploadTitle: 'Eine Datei hochladen',
  to: 'Pfad im Arbeitsbereich',
  exists: 'An diesem Pfad gibt es schon eine Datei.',
  replace: 'Die Datei ersetzen. Ihr Inhalt bleibt als frühere Fassung erhalten.',
  uploaded: 'Die Datei ist gespeichert.',
};
