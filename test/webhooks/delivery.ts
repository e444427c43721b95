// A delivery and its signatures, computed with openssl and node:crypto; the code under test did not create them.

/** The sent body. */
export const body =
  '{"object":"event","id":"event_01","event":"user.created","data":{"first_name":"Zoë","metadata":{"a_b":1}},"created_at":"2026-11-20T10:00:00.000Z"}';

/** The parsed body, with its wire names. */
export const parsed = {
  object: 'event',
  id: 'event_01',
  event: 'user.created',
  data: { first_name: 'Zoë', metadata: { a_b: 1 } },
  created_at: '2026-11-20T10:00:00.000Z',
};

export const secret = 'whsec_sallyport';
/** 2026-11-20T10:00:00Z, in milliseconds. */
export const sentAt = 1795168800000;

/** The signature of `1795168800000.<body>`. */
export const signature = 'ddd567999206bc65e1455276b7158448d66308edb4828e586ae34a7d94c0efaf';
/** The signature of the same with the secret `whsec_replaced`. */
export const signatureOfReplaced = '8300e9f4c926beac6750b9a5a87f7cf8c1bfc6040e88da964e6d88fe9b676da8';
/** The signature of `1795168800.<body>`, with the timestamp in seconds. */
export const signatureInSeconds = '19b218db3caf346705be5a91a756ee98619e9e3781b44cc580c65751a67d85b5';

export const header = `t=${sentAt}, v1=${signature}`;
/** The arguments of `verifyWebhook` for this delivery, at the time it was sent. */
export const delivery = { payload: body, sigHeader: header, secret, now: () => sentAt };
