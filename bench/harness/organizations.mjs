/** Build an organization as the service sends it, about half a kilobyte. */
export function organizationAt(index) {
  const number = String(index).padStart(8, '0');
  const domain = (kind, state) => ({
    object: 'organization_domain',
    id: `org_domain_01HZX3V7Q8M2T4B6${kind}${number}`,
    domain: `${kind}${number}.acme.test`,
    state,
  });
  return {
    object: 'organization',
    id: `org_01HZX3V7Q8M2T4B6${number}`,
    name: `Acme Corporation ${number}`,
    allow_profiles_outside_organization: false,
    domains: [domain('main', 'verified')],
    billing_customer_id: `cus_${number}`,
    external_id: `tenant-${number}`,
    metadata: { plan: 'enterprise', region: 'eu-central', seats: '250' },
    created_at: '2024-06-25T19:07:33.155Z',
    updated_at: '2024-07-12T08:41:02.871Z',
  };
}
