// The names under which resources and warrants are kept, listed and looked up: `report:7`, `report:7#editor@user:ada`,
// `report:7#viewer@group:eng#member`. What would make two of them look alike is escaped.

/** A resource by its type and id. */
export interface Entity {
  readonly resourceType: string;
  readonly resourceId: string;
}

/** A resource, or with a relation everybody who has that relation to it. */
export interface Subject extends Entity {
  readonly relation?: string | null | undefined;
}

/** That a subject has a relation to a resource: as a fact, or as a question. */
export interface Relationship extends Entity {
  readonly relation: string;
  readonly subject: Subject;
}

const separators = /[%:#@\s]/;

const escapeName = (text: string): string =>
  separators.test(text)
    ? text.replace(/[%:#@\s]/g, (sign) => `%${sign.codePointAt(0)!.toString(16).padStart(2, '0')}`)
    : text;

/** `report:7` */
export const entityName = ({ resourceType, resourceId }: Entity): string =>
  `${escapeName(resourceType)}:${escapeName(resourceId)}`;

/** `report:7#editor` */
export const grantName = (resource: Entity, relation: string): string =>
  `${entityName(resource)}#${escapeName(relation)}`;

/** `user:ada`, `group:eng#member` */
export const subjectName = (subject: Subject): string =>
  subject.relation ? grantName(subject, subject.relation) : entityName(subject);

/** `report:7#editor@user:ada` */
export const relationshipName = ({ relation, subject, ...resource }: Relationship): string =>
  `${grantName(resource, relation)}@${subjectName(subject)}`;
