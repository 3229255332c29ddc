// Die deutschen Texte. Die eines Bereichs stehen in einer eigenen Datei.

import type { Text } from './en';
import * as base from './de/base';
import { calls } from './de/calls';
import { inbox } from './de/inbox';
import { fleet } from './de/fleet';
import { check } from './de/check';
import { dead } from './de/dead';
import { grants } from './de/grants';
import { audit } from './de/audit';
import { services } from './de/services';
import { policy } from './de/policy';

export const de: Text = { ...base, calls, inbox, fleet, check, dead, grants, audit, services, policy };
