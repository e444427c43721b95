import { earlierProfileAndToken, sso } from '../../service/sso.js';

export { sso };

const { getProfileAndToken } = sso;
/** What `legacy` reads in the older form. */
export const earlier = {
  getProfileAndToken: {
    ...getProfileAndToken,
    client: getProfileAndToken.io.earlierForm,
    io: { ...getProfileAndToken.io, returns: earlierProfileAndToken },
  },
};
