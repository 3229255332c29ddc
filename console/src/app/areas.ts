// All areas, in the order of the navigation.

import type { Area } from './area';
import { calls } from '../pages/calls/area';
import { conversations } from '../pages/conversations/area';
import { programs } from '../pages/programs/area';
import { schedules } from '../pages/schedules/area';
import { files } from '../pages/files/area';
import { data } from '../pages/data/area';
import { inbox } from '../pages/inbox/area';
import { tools } from '../pages/tools/area';
import { agents } from '../pages/agents/area';
import { custom } from '../pages/custom/area';
import { upstream } from '../pages/upstream/area';
import { overview } from '../pages/overview/area';
import { fleet } from '../pages/fleet/area';
import { check } from '../pages/check/area';
import { services } from '../pages/services/area';
import { decisions } from '../pages/decisions/area';
import { policy } from '../pages/policy/area';
import { audit } from '../pages/audit/area';
import { dead } from '../pages/dead/area';
import { grants } from '../pages/grants/area';

export const areas: readonly Area[] = [...inbox, ...calls, ...conversations, ...programs, ...schedules, ...files, ...tools, ...agents, ...custom, ...upstream, ...overview, ...fleet, ...dead, ...services, ...check, ...audit, ...decisions, ...policy, ...grants, ...data];
