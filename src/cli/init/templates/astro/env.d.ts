declare namespace App {
  interface Locals {
    auth: import('sallyport/session').HandleResult;
  }
}
