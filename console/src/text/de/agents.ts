import type { Text } from '../en';

export const agents: Text['agents'] = {
  title: 'Agenten',
  intro: 'Ein Agent ohne eigene Regeln benutzt die Gruppen, die von vornherein an sind. Einer mit Regeln benutzt, was sie nennen.',
  empty: 'Kein Agent hat eigene Regeln.',
  emptyText: 'Geben Sie einem Agenten Regeln, um zu erweitern oder einzuschränken, was er benutzen darf.',
  agent: 'Agent', groups: 'Gruppen', tools: 'Werkzeuge', deny: 'Verboten',
  add: 'Agent hinzufügen', edit: 'Ändern',
  editOf: (name) => `${name} ändern`,
  hints: {
    groups: 'Namen von Gruppen, die er benutzen darf, durch Leerzeichen oder Zeilen getrennt. Ein * am Ende steht für alle, die so beginnen.',
    tools: 'Namen von Werkzeugen, die er benutzen darf.',
    deny: 'Namen von Werkzeugen und Gruppen, die er nicht benutzen darf, was auch sonst genannt ist.',
  },
  unknown: 'Diese Namen hat zurzeit kein Werkzeug und keine Gruppe:',
  save: 'Speichern', saved: 'Gespeichert.',
  remove: 'Regeln entfernen', removeSure: 'Ja, Regeln entfernen', removed: 'Die Regeln sind entfernt.',
  one: 'Was ein Agent jetzt hat', person: 'Für die Person', effective: 'Werkzeuge, die einem Modell angeboten werden', latest: 'Seine letzten Aufrufe', allCalls: 'Alle seine Aufrufe', noCalls: 'Es sind keine Aufrufe bekannt.',
  offered: (n, off) => `${n.toLocaleString('de')} ${n === 1 ? 'Werkzeug' : 'Werkzeuge'}${off ? `; ${off.toLocaleString('de')} weitere lassen sich jetzt nicht aufrufen` : ''}`,
};
