export const load = ({ locals }) => ({ email: locals.auth.session?.user.email });
