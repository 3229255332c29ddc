import"/assets/part-YV722HL4.js";var i=`# HelveCredentialExpiring

## Meaning

A certificate, NATS credential or API key that a process uses expires within two weeks, or has expired.

## Effect

When it expires the process loses its connection to NATS, or the holders of the key get 401.

## Confirm

- \`helve_credential_expiry_timestamp_seconds\` by credential: \`nats_ca\`, \`nats_certificate\`, \`nats_credentials\` or \`api_keys\`. Files that a
  NATS context names (\`nats.context\`) are covered; NKeys and signing keys do not expire.
- \`openssl x509 -enddate -noout -in FILE\` for a certificate.

## Fix

1. Renew the file in its place. Key files are read again without a restart; a certificate or credential of NATS is read at the next connection.
2. For an API key: \`helve auth key\` makes a new one; remove the old entry when its holders have the new key.
`;export{i as default};
