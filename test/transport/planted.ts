/** Secrets that tests plant wherever a secret can be, each one unmistakable. */
export const planted = {
  apiKey: 'sk_live_K7planted0APIkey9Xq2',
  password: 'pä$$ "wörd" & +planted%7',
  newPassword: 'another planted password',
  passwordHash: '$2b$10$plantedHashPlantedHashPlantedHashPlanted',
  oneTimeCode: '739164',
  authorizationCode: 'planted_code/01+x=',
  codeVerifier: 'plantedVerifier-0123456789-0123456789-0123456789',
  accessToken: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.cGxhbnRlZHNpZ25hdHVyZQ',
  refreshToken: 'planted.refresh.token.5521',
  ssoToken: 'planted-sso-token-8830',
  pendingToken: 'planted-pending-token-1177',
  invitationToken: 'planted-invitation-4f4f',
  resetToken: 'planted-reset-9c9c',
  totpSeed: 'JBSWY3DPPLANTEDSEED3PXP',
  sealedCookie: 'Fe26.2*1*planted*seal*ed*cook*ie*parts~2',
  cookieValue: 'planted-cookie-value-0042',
  headerToken: 'planted-header-token-6611',
  webhookSecret: 'whsec_plantedWebhookSecret77',
} as const;

/** Returns a secret in every form that a text may contain. */
const formsOf = (secret: string): string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  encodeURIComponent(secret),
  new URLSearchParams({ '': secret }).toString().slice(1),
  Buffer.from(secret).toString('base64'),
];

/** Find planted secrets. Returns the name of each one, with the text around its first occurrence. */
export function findingsIn(texts: readonly string[]): string[] {
  const findings = new Map<string, string>();
  for (const [name, secret] of Object.entries(planted))
    for (const form of formsOf(secret))
      for (const text of texts) {
        const at = text.indexOf(form);
        if (at < 0 || findings.has(name)) continue;
        findings.set(name, `${name}: ${text.slice(Math.max(0, at - 60), at + form.length + 20)}`);
      }
  return [...findings.values()];
}
