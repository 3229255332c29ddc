// All areas, in the order of the navigation.

import type { Area } from './area';
import { calls } from '../pages/calls/area';
import { inbox } from '../pages/inbox/area';
import { fleet } from '../pages/fleet/area';
import { check } from '../pages/check/area';
import { dead } from '../pages/dead/area';
import { grants } from '../pages/grants/area';
import { audit } from '../pages/audit/area';
import { services } from '../pages/services/area';
import { policy } from '../pages/policy/area';

export const areas: readonly Area[] = [...inbox, ...calls, ...fleet, ...check, ...dead, ...grants, ...audit, ...services, ...policy];
