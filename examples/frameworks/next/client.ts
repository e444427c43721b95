import { Sallyport } from 'sallyport';

// Needs SALLYPORT_CLIENT_ID and SALLYPORT_API_KEY in the environment. Import it in server code only.
export const sallyport = new Sallyport();
