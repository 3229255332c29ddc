// All areas, in the order of the navigation.

import type { Area } from './area';
import { calls } from '../pages/calls/area';
import { inbox } from '../pages/inbox/area';
import { tools } from '../pages/tools/area';
import { agents } from '../pages/agents/area';
import { custom } from '../pages/custom/area';
import { upstream } from '../pages/upstream/area';

export const areas: readonly Area[] = [...inbox, ...calls, ...tools, ...agents, ...custom, ...upstream];
