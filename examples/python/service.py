"""A client, a browser and a webhook receiver for the service, with only the standard library."""

import hashlib
import hmac
import json
import threading
import time
from html.parser import HTMLParser
from http.client import HTTPConnection
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPHandler, HTTPRedirectHandler, ProxyHandler, Request, build_opener


class Refused(Exception):
    """A response with a status of 400 or more."""

    def __init__(self, status, body):
        super().__init__(f"status {status}: {body}")
        self.status = status
        self.body = body
        self.code = body.get("code") or body.get("error") if isinstance(body, dict) else None


class Service:
    """A client with an API key: `service.post('/organizations', name='Acme')`."""

    def __init__(self, address, key):
        self.address = address
        self.key = key
        self._opener = build_opener(ProxyHandler({}))

    def request(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        all_headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **(headers or {})}
        request = Request(self.address + path, data, all_headers, method=method)
        try:
            with self._opener.open(request, timeout=30) as answer:
                text = answer.read().decode()
        except HTTPError as error:
            with error:
                text = error.read().decode()
            try:
                raise Refused(error.code, json.loads(text)) from None
            except ValueError:
                raise Refused(error.code, text) from None
        return json.loads(text) if text else None

    def get(self, path, **query):
        return self.request("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path, **body):
        return self.request("POST", path, body)

    def put(self, path, **body):
        return self.request("PUT", path, body)

    def patch(self, path, **body):
        return self.request("PATCH", path, body)

    def delete(self, path):
        return self.request("DELETE", path)


class _Connection(HTTPConnection):
    """Resolves every name under localhost to this machine, as browsers do. The pages of a world have such a name."""

    def connect(self):
        name = self.host
        if name.endswith(".localhost"):
            self.host = "127.0.0.1"
        super().connect()
        self.host = name


class _Here(HTTPHandler):
    def http_open(self, request):
        return self.do_open(_Connection, request)


class _Stay(HTTPRedirectHandler):
    """Follows redirects within the emulator."""

    def redirect_request(self, request, file, code, message, headers, address):
        if urlsplit(address).port != urlsplit(request.full_url).port:
            return None
        return super().redirect_request(request, file, code, message, headers, address)


class _Form(HTMLParser):
    """Parses the first form and the heading of a page."""

    def __init__(self, page):
        super().__init__()
        self.action = None
        self.fields = {}
        self.heading = ""
        self._is_heading = False
        self._is_over = False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "h1":
            self._is_heading = True
        elif self._is_over:
            return
        elif tag == "form":
            self.action = found.get("action")
        elif tag == "input" and self.action is not None and "name" in found:
            self.fields[found["name"]] = found.get("value") or ""

    def handle_endtag(self, tag):
        if tag == "h1":
            self._is_heading = False
        elif tag == "form":
            self._is_over = True

    def handle_data(self, data):
        if self._is_heading:
            self.heading += data


class Browser:
    """A browser without scripts. Keeps cookies, follows redirects, fills in forms, and stops at redirects to other sites."""

    def __init__(self):
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()), _Here(), _Stay())
        self.address = ""
        self.form = _Form("")
        self.left_for = None

    @property
    def heading(self):
        return self.form.heading.strip()

    def open(self, address, form=None):
        data = None if form is None else urlencode(form).encode()
        try:
            with self._opener.open(Request(address, data, {"Accept": "text/html"}), timeout=30) as answer:
                self.address = answer.geturl()
                self.form = _Form(answer.read().decode())
        except HTTPError as error:
            with error:
                location = error.headers.get("Location")
                if location is None:
                    raise Refused(error.code, error.read().decode()) from None
                self.left_for = location

    def submit(self, **typed):
        self.open(urljoin(self.address, self.form.action), {**self.form.fields, **typed})


def is_genuine(body, header, secret):
    """Check that the service signed a webhook in the last three minutes."""
    parts = dict(part.strip().split("=", 1) for part in header.split(","))
    signed = hmac.new(secret.encode(), parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
    is_recent = time.time() - int(parts["t"]) / 1000 < 180
    return hmac.compare_digest(signed, parts["v1"]) and is_recent


class Receiver:
    """Receives webhooks, and keeps those with a valid signature."""

    def __init__(self):
        self.secret = ""
        self.events = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                genuine = is_genuine(body, self.headers["Service-Signature"], receiver.secret)
                if genuine:
                    receiver.events.append(json.loads(body))
                self.send_response(204 if genuine else 400)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/webhooks"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
