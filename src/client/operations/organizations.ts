export { organizationDomains } from '../../service/organization-domains.js';
export { organizations } from '../../service/organizations.js';
