import { earlierProfileAndToken, sso } from '../../service/sso.js';

export { sso };

const { getProfileAndToken } = sso;
/** Operations of `legacy`, whose responses have the older form. */
export const earlier = {
  getProfileAndToken: {
    ...getProfileAndToken,
    client: getProfileAndToken.io.earlierForm,
    io: { ...getProfileAndToken.io, returns: earlierProfileAndToken, todaysForm: getProfileAndToken.client },
  },
};
