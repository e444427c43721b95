// The ids of stored resources and warrants: `report:7`, `report:7#editor@user:ada`, `report:7#viewer@group:eng#member`.
// Separators inside names are escaped, so that ids are unique.

/** The type and id of a resource. */
export interface Entity {
  readonly resourceType: string;
  readonly resourceId: string;
}

/** A resource or, with a relation, all subjects that have the relation to the resource. */
export interface Subject extends Entity {
  readonly relation?: string | null | undefined;
}

/** A relation of a subject to a resource, as a fact or a question. */
export interface Relationship extends Entity {
  readonly relation: string;
  readonly subject: Subject;
}

const separators = /[%:#@\s]/;

const escapeName = (text: string): string =>
  separators.test(text)
    ? text.replace(/[%:#@\s]/g, (sign) => `%${sign.codePointAt(0)!.toString(16).padStart(2, '0')}`)
    : text;

/** Return the name of a resource, such as `report:7`. */
export const entityName = ({ resourceType, resourceId }: Entity): string =>
  `${escapeName(resourceType)}:${escapeName(resourceId)}`;

/** Return the name of a grant, such as `report:7#editor`. */
export const grantName = (resource: Entity, relation: string): string =>
  `${entityName(resource)}#${escapeName(relation)}`;

/** Return the name of a subject, such as `user:ada` or `group:eng#member`. */
export const subjectName = (subject: Subject): string =>
  subject.relation ? grantName(subject, subject.relation) : entityName(subject);

/** Return the name of a relationship, such as `report:7#editor@user:ada`. */
export const relationshipName = ({ relation, subject, ...resource }: Relationship): string =>
  `${grantName(resource, relation)}@${subjectName(subject)}`;
