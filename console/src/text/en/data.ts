const number = (n: number) => n.toLocaleString('en');

export const data = {
  title: 'Personal data',
  about: 'What tools keep of a person, by collection. Files, custom tools, remembered answers and entries of services have pages of their own.',
  whose: 'Enter the person whose data it is.',
  collection: 'Collection',
  items: 'Items',
  size: 'Bytes',
  number,
  all: (n: number, bytes: number) => `${number(n)} ${n === 1 ? 'item' : 'items'} with ${number(bytes)} bytes.`,
  empty: 'Nothing is kept.',
  emptyText: 'Notes, tasks, contacts and whatever else tools store for the person are counted here.',
  format: 'Format',
  formats: { jsonl: 'Everything (JSON lines)', csv: 'Expenses (CSV)', ics: 'Calendar (iCalendar)', vcf: 'Contacts (vCard)', html: 'Bookmarks (HTML)' },
  export: 'Export',
  erase: 'Delete everything',
  eraseTitle: 'Delete all data of this person?',
  eraseText: 'Items, files, custom tools, remembered answers, entries of services, scheduled tasks and stored results are deleted. Only the audit trail stays. This cannot be undone, and may take a while.',
  sure: (user: string) => `Enter ${user} to confirm`,
  erased: 'The data is deleted.',
  gone: (items: number, results: number) => `${number(items)} ${items === 1 ? 'item' : 'items'} and ${number(results)} ${results === 1 ? 'result' : 'results'} of calls were deleted.`,
  left: 'What is left for a while:',
};
