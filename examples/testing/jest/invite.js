/** Invites somebody into an organization, unless they are in it already. */
exports.invite = async (sallyport, organizationId, email) => {
  const { data } = await sallyport.userManagement.listUsers({ organizationId, email });
  if (data.length > 0) return 'member';
  await sallyport.userManagement.sendInvitation({ email, organizationId });
  return 'invited';
};
