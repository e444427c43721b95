/** Invite a user to an organization, unless they are already a member. */
exports.invite = async (sallyport, organizationId, email) => {
  const { data } = await sallyport.userManagement.listUsers({ organizationId, email });
  if (data.length > 0) return 'member';
  await sallyport.userManagement.sendInvitation({ email, organizationId });
  return 'invited';
};
