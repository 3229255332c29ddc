import type { Kind } from '../../app/targets';

export const go = {
  title: 'Go to',
  where: 'A page, a tool, an id or a name',
  tool: 'Tool',
  nothing: 'Nothing fits.',
  kinds: {
    consent: 'Request', call: 'Call', trace: 'Trace', callsOfUser: 'Calls of the person', callsOfAgent: 'Calls of the agent', callsOfTool: 'Calls of the tool', search: 'Search calls for',
  } satisfies Record<Kind, string>,
  keys: 'Keys',
  enter: 'Enter',
  ctrl: 'Ctrl',
  help: { move: 'the next row, the one before', open: 'open the row', close: 'close the detail', allow: 'allow the request that is shown', deny: 'deny the request that is shown', select: 'select the row', search: 'search', anywhere: 'go anywhere', keys: 'show these keys' },
};
