import type { Text } from '../en';

export const upstream: Text['upstream'] = {
  title: 'Fremde Server',
  empty: 'Keine Werkzeuge anderer Server.',
  emptyText: 'Werkzeuge von MCP-Servern und OpenAPI-Diensten erscheinen hier, sobald Worker sie gelesen haben.',
  waiting: 'Wartet auf Annahme', accepted: 'Angenommen',
  nWaiting: (n) => (n === 0 ? 'Nichts wartet.' : n === 1 ? '1 Definition wartet. Modelle sehen sie erst, wenn sie angenommen ist.' : `${n.toLocaleString('de')} Definitionen warten. Modelle sehen sie erst, wenn sie angenommen sind.`),
  tool: 'Werkzeug', server: 'Server', state: 'Zustand', seen: 'Gesehen', by: 'Von', at: 'Wann',
  isNew: 'Neu', changed: 'Geändert',
  review: 'Prüfen',
  reviewOf: (name) => `${name} prüfen`,
  newText: 'Dieses Werkzeug wurde noch nie angenommen. Seine Definition ist Text des anderen Servers: Lesen Sie, was sie Modellen aufträgt.',
  changedText: 'Der Server hat die Definition seit der Annahme geändert. Lesen Sie, was anders ist.',
  difference: 'Was anders ist',
  accept: 'Diese Definition annehmen',
  isAccepted: 'Angenommen:',
  nothing: 'Für dieses Werkzeug wartet nichts mehr.',
  readAgain: 'Erneut lesen',
};
