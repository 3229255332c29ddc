export const push = {
  switch: 'Notify this device',
  states: {
    on: 'What you are asked is shown on this device, even while Helve is closed.',
    off: 'You are asked in the inbox only.',
    nobody: 'Enter your name below first: a notification is for one person.',
    insecure: 'Browsers allow this over HTTPS only, or on the machine itself. Open Helve by an https address.',
    install: 'On this phone only installed pages can notify: choose Share, then "Add to Home Screen", and open Helve from there.',
    unsupported: 'This browser cannot notify while a page is closed.',
    denied: 'The browser forbids notifications of this page. Allow them in its settings, then open this dialog again.',
  },
  failed: (why: string) => `The browser did not subscribe: ${why}`,
};
