import { sallyport } from '../../../client';
import { changeRole, removeMember } from './actions';
import { InviteForm } from './invite-form';

export async function Members({ organizationId }: { organizationId: string }) {
  const { userManagement, organizations } = sallyport;
  const [users, memberships, invitations, roles] = await Promise.all([
    userManagement.listUsers({ organizationId }).toArray({ max: 500 }),
    userManagement.listOrganizationMemberships({ organizationId }).toArray({ max: 500 }),
    userManagement.listInvitations({ organizationId }).toArray({ max: 500 }),
    organizations.listOrganizationRoles({ organizationId }),
  ]);
  const emailOf = new Map(users.map(({ id, email }) => [id, email]));
  return (
    <>
      <ul>
        {memberships.map(({ id, userId, role }) => (
          <li key={id}>
            {`${emailOf.get(userId) ?? userId}: ${role.slug} `}
            <form action={changeRole.bind(null, id)}>
              <select name="role" aria-label={`Role of ${emailOf.get(userId)}`} defaultValue={role.slug}>
                {roles.map(({ slug }) => (
                  <option key={slug}>{slug}</option>
                ))}
              </select>
              <button type="submit">Change role</button>
            </form>
            <form action={removeMember.bind(null, id)}>
              <button type="submit">Remove</button>
            </form>
          </li>
        ))}
      </ul>
      {invitations
        .filter(({ state }) => state === 'pending')
        .map(({ id, email }) => (
          <p key={id}>{`Invited: ${email}`}</p>
        ))}
      <InviteForm />
    </>
  );
}
