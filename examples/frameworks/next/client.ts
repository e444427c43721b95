import { Sallyport } from 'sallyport';

// Reads SALLYPORT_BASE_URL, SALLYPORT_CLIENT_ID and SALLYPORT_API_KEY. Import it in server code only.
export const sallyport = new Sallyport();
