// What an archived page does by script is led to other captures; what would leave the archive is refused.
(() => {
  'use strict';
  const found = /^\/w\/(\d*)[a-z_]*\/(.*)$/.exec(location.pathname + location.search);
  document.currentScript.remove();
  if (!found) return;
  const [, timestamp, page] = found;
  if (window.__fondsReplay) return;
  Object.defineProperty(window, '__fondsReplay', { value: true });

  const schemes = /^(https?|ftp|wss?):/i;
  const isOwn = (text) => /^\/(w\/\d*[a-z_]*\/|shim\.js|blocked)/.test(text);
  // The replay URL of a reference; anything else comes back as it is.
  const replayed = (reference, hint) => {
    if (reference == null || reference === '') return reference;
    const text = String(reference);
    if (text.startsWith('#') || isOwn(text)) return text;
    let url;
    try { url = new URL(text, document.baseURI); } catch { return text; }
    if (url.origin === location.origin) {
      if (isOwn(url.pathname)) return text;
      // A path of the archived site.
      try { url = new URL(text.replace(location.origin, ''), page); } catch { return text; }
    }
    return schemes.test(url.protocol) ? `/w/${timestamp}${hint}/${url.href}` : text;
  };
  // The archived URL of a replay URL.
  const archived = (href) => {
    const found = /\/w\/\d*[a-z_]*\/(.*)$/.exec(href);
    return found ? found[1] : href;
  };
  const guard = (work) => { try { work(); } catch { /* The page goes on without it. */ } };

  guard(() => {
    const refused = () => new Promise(() => fetch('/blocked?what=worker', { method: 'POST', keepalive: true }).catch(() => {}));
    if (navigator.serviceWorker) Object.defineProperty(navigator.serviceWorker, 'register', { value: refused });
  });
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'WebTransport']) {
    guard(() => { if (name in window) Object.defineProperty(window, name, { value: undefined }); });
  }
  guard(() => {
    const original = window.fetch;
    window.fetch = function (input, init) {
      if (input instanceof Request) return original.call(this, new Request(replayed(input.url, 'mp_'), input), init);
      return original.call(this, replayed(input, 'mp_'), init);
    };
  });
  guard(() => {
    const open = XMLHttpRequest.prototype.open;
    XMLHttpRequest.prototype.open = function (method, url, ...rest) {
      return open.call(this, method, replayed(url, 'mp_'), ...rest);
    };
  });
  guard(() => { navigator.sendBeacon = () => true; });

  const hints = {
    a: ['href', 'mp_'], area: ['href', 'mp_'], form: ['action', 'mp_'], img: ['src', 'im_'], script: ['src', 'js_'],
    link: ['href', 'cs_'], iframe: ['src', 'if_'], frame: ['src', 'fr_'], audio: ['src', 'oe_'], video: ['src', 'oe_'],
    source: ['src', 'oe_'], track: ['src', 'oe_'], embed: ['src', 'oe_'], object: ['data', 'oe_'], input: ['src', 'im_'],
  };
  const srcset = (value) => String(value).replace(/(^|,\s+|\s*,)([^\s,]\S*)/g, (all, before, url) => before + replayed(url, 'im_'));
  guard(() => {
    const set = Element.prototype.setAttribute;
    Element.prototype.setAttribute = function (name, value) {
      const attribute = String(name).toLowerCase();
      const hint = hints[this.localName];
      if (hint && hint[0] === attribute) value = replayed(value, hint[1]);
      else if (attribute === 'srcset') value = srcset(value);
      else if (attribute === 'integrity' || attribute === 'crossorigin') return;
      return set.call(this, name, value);
    };
  });
  const property = (type, name, hint, change = replayed) => guard(() => {
    const prototype = window[type] && window[type].prototype;
    const found = prototype && Object.getOwnPropertyDescriptor(prototype, name);
    if (!found || !found.set) return;
    Object.defineProperty(prototype, name, {
      ...found,
      set(value) { found.set.call(this, change(value, hint)); },
    });
  });
  property('HTMLImageElement', 'src', 'im_');
  property('HTMLImageElement', 'srcset', 'im_', srcset);
  property('HTMLSourceElement', 'srcset', 'im_', srcset);
  property('HTMLScriptElement', 'src', 'js_');
  property('HTMLLinkElement', 'href', 'cs_');
  property('HTMLIFrameElement', 'src', 'if_');
  property('HTMLMediaElement', 'src', 'oe_');
  property('HTMLSourceElement', 'src', 'oe_');
  property('HTMLEmbedElement', 'src', 'oe_');
  property('HTMLObjectElement', 'data', 'oe_');
  property('HTMLAnchorElement', 'href', 'mp_');
  property('HTMLFormElement', 'action', 'mp_');
  for (const name of ['integrity', 'crossOrigin']) {
    for (const type of ['HTMLScriptElement', 'HTMLLinkElement', 'HTMLImageElement', 'HTMLMediaElement']) {
      property(type, name, '', () => (name === 'integrity' ? '' : null));
    }
  }
  for (const name of ['pushState', 'replaceState']) {
    guard(() => {
      const original = History.prototype[name];
      History.prototype[name] = function (data, title, url) {
        return original.call(this, data, title, url == null ? url : replayed(url, 'mp_'));
      };
    });
  }
  guard(() => { window.open = () => null; });
  guard(() => {
    // Cookies live as long as the page, each site has its own.
    const jar = new Map();
    Object.defineProperty(document, 'cookie', {
      configurable: true,
      get: () => [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      set: (text) => {
        const [pair] = String(text).split(';');
        const at = pair.indexOf('=');
        const name = pair.slice(0, Math.max(at, 0)).trim();
        if (/max-age\s*=\s*(0|-)/i.test(text)) jar.delete(name);
        else if (jar.size < 200) jar.set(name, pair.slice(at + 1).trim());
      },
    });
  });
  guard(() => Object.defineProperty(document, 'referrer', { get: () => archived(Document.prototype.__lookupGetter__('referrer').call(document)) }));
  guard(() => Object.defineProperty(document, 'URL', { get: () => archived(location.href) }));
  guard(() => {
    const post = window.postMessage;
    window.postMessage = function (message, target, ...rest) {
      return post.call(this, message, typeof target === 'string' && target !== '/' ? '*' : target, ...rest);
    };
  });
})();
