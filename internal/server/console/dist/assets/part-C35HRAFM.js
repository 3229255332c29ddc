import"/assets/part-YV722HL4.js";var s=`# HelveConsentsExpiring

## Meaning

Requests for consent wait for a person and have less than a quarter of \`consent.ttl\` left.

## Effect

Without a decision each of these calls ends with \`consent_expired\`.

## Confirm

- \`helve consent list\` shows a person's requests.
- Dashboard Consent: a long time to the verdict means that nobody looks.

## Fix

1. Remind the persons, or send the requests where they look (the event stream of their consents, \`helve consent watch\`).
2. If requests often expire, raise \`consent.ttl\`, or let persons grant a tool for longer.
`;export{s as default};
