import type { Text } from '../en';

export const go: Text['go'] = {
  title: 'Gehe zu',
  where: 'Eine Seite, ein Werkzeug, eine Kennung oder ein Name',
  tool: 'Werkzeug',
  nothing: 'Nichts passt.',
  kinds: {
    consent: 'Anfrage', call: 'Aufruf', trace: 'Ablauf', callsOfUser: 'Aufrufe der Person', callsOfAgent: 'Aufrufe des Agenten', callsOfTool: 'Aufrufe des Werkzeugs', search: 'Aufrufe durchsuchen nach',
  },
  keys: 'Tasten',
  enter: 'Eingabe',
  ctrl: 'Strg',
  help: { move: 'die nächste Zeile, die vorige', open: 'die Zeile öffnen', close: 'die Einzelheiten schließen', allow: 'die gezeigte Anfrage erlauben', deny: 'die gezeigte Anfrage ablehnen', select: 'die Zeile auswählen', search: 'suchen', anywhere: 'überallhin gehen', keys: 'diese Tasten zeigen' },
};
