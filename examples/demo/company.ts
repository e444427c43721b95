import { readFileSync } from 'node:fs';
import type { AuditLogSchemaCreate, RelationDefinition } from 'sallyport';
import { parse } from 'yaml';

/** The parts of `company.yaml` that the demo creates, with the field names of the service. */
export interface Company {
  roles: { slug: string; name: string; description?: string; permissions?: string[] }[];
  organizations: {
    id: string;
    name: string;
    external_id?: string;
    metadata?: Record<string, string>;
    domain_data?: { domain: string; state: 'pending' | 'verified' }[];
    retention_period_in_days?: 30 | 365;
  }[];
  users: {
    id: string;
    email: string;
    first_name: string;
    last_name: string;
    email_verified?: boolean;
    password?: string;
  }[];
  memberships: { user_id: string; organization_id: string; role_slug?: string }[];
  audit_log_actions: { name: string; schema: AuditLogSchemaCreate }[];
  resource_types: { type: string; relations: Record<string, RelationDefinition> }[];
  warrants: {
    resource_type: string;
    resource_id: string;
    relation: string;
    subject: { resource_type: string; resource_id: string; relation?: string };
  }[];
}

/** Read the company of the demo. */
export const readCompany = (): Company =>
  // Unchecked: the emulator validates the same file when it is used as a seed.
  parse(readFileSync(new URL('../company.yaml', import.meta.url), 'utf8')) as Company;
