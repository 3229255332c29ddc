import type { Text } from '../en';

export const push: Text['push'] = {
  switch: 'Dieses Gerät benachrichtigen',
  states: {
    on: 'Was Sie gefragt werden, erscheint auf diesem Gerät, auch wenn Helve geschlossen ist.',
    off: 'Sie werden nur im Eingang gefragt.',
    nobody: 'Geben Sie unten zuerst Ihren Namen ein: Eine Benachrichtigung ist für eine Person.',
    insecure: 'Browser erlauben das nur über HTTPS oder auf dem Rechner selbst. Öffnen Sie Helve über eine https-Adresse.',
    install: 'Auf diesem Telefon können nur installierte Seiten benachrichtigen: Wählen Sie „Teilen“, dann „Zum Home-Bildschirm“, und öffnen Sie Helve von dort.',
    unsupported: 'Dieser Browser kann nicht benachrichtigen, während eine Seite geschlossen ist.',
    denied: 'Der Browser verbietet Benachrichtigungen dieser Seite. Erlauben Sie sie in seinen Einstellungen und öffnen Sie diesen Dialog noch einmal.',
  },
  failed: (why) => `Der Browser hat sich nicht angemeldet: ${why}`,
};
