export const conversations = {
  title: 'Conversation',
  link: 'Link for others',
  began: 'Began',
  span: 'From first to last',
  ran: 'Tools ran',
  granted: 'allowed by',
  denied: 'denied by',
  earlier: 'Show earlier calls',
  empty: 'No calls.',
  emptyText: 'No call of this conversation is known that you may see.',
};
