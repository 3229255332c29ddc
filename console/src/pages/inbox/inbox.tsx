// What waits for a person, the oldest first.

import { Page } from '../../components/page';
import { t } from '../../text';

export default function Inbox() {
  return <Page title={t().inbox.title}>{null}</Page>;
}
