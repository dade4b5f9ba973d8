// What an archived page does by script is led to other captures; what would leave the archive is refused.
(() => {
  'use strict';
  // What paths of this replay begin with.
  const root = new URL(document.currentScript.src).pathname.replace(/\/shim\.js$/, '');
  document.currentScript.remove();
  if (window.__fondsReplay) return;
  Object.defineProperty(window, '__fondsReplay', { value: true });
  const guard = (work) => { try { work(); } catch { /* The page goes on without it. */ } };

  // Pages in srcdoc have the address of the page that they are in.
  let place = location;
  guard(() => { if (location.href === 'about:srcdoc') place = parent.location; });
  const inside = (path) => (path.startsWith(root) ? path.slice(root.length) : '');
  const found = /^\/w\/(\d*)[a-z_]*\/(.*)$/.exec(inside(place.pathname + place.search));
  const site = () => {
    try { return new URL(found[2]).host; } catch { return ''; }
  };

  // No policy governs these. Frames that a script makes have objects of their own: they are guarded before it sees them.
  const refused = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'WebTransport'];
  const guarded = new WeakSet();
  const withShim = (page) => (hasShim.test(page) ? page : `<script src="${root}/shim.js"></script>${page}`);
  const hasShim = /^\s*(<!doctype[^>]*>\s*)?(<html[^>]*>\s*)?(<head[^>]*>)?<script src="(\/[\w-]+)?\/shim\.js"><\/script>/i;
  // A storage that lives as long as its page.
  const storage = () => {
    const values = new Map();
    const methods = {
      getItem: (name) => values.get(String(name)) ?? null,
      setItem: (name, value) => { if (values.size < 2000) values.set(String(name), String(value)); },
      removeItem: (name) => { values.delete(String(name)); },
      clear: () => { values.clear(); },
      key: (at) => [...values.keys()][at] ?? null,
    };
    return new Proxy(methods, {
      get: (own, name) => (name === 'length' ? values.size : own[name] ?? values.get(String(name))),
      set: (own, name, value) => { methods.setItem(name, value); return true; },
      has: (own, name) => name in own || values.has(String(name)),
      deleteProperty: (own, name) => { methods.removeItem(name); return true; },
      ownKeys: () => [...values.keys()],
      getOwnPropertyDescriptor: (own, name) => (values.has(name)
        ? { value: values.get(name), writable: true, enumerable: true, configurable: true } : undefined),
    });
  };
  const protect = (scope) => {
    if (guarded.has(scope.Function)) return;
    guarded.add(scope.Function);
    for (const name of refused) guard(() => { if (name in scope) Object.defineProperty(scope, name, { value: undefined }); });
    guard(() => { scope.open = () => null; });
    guard(() => {
      const asked = () => new Promise(() => fetch(`${root}/blocked?what=worker`, { method: 'POST', keepalive: true }).catch(() => {}));
      if (scope.navigator.serviceWorker) Object.defineProperty(scope.navigator.serviceWorker, 'register', { value: asked });
    });
    guard(() => {
      // Cookies live as long as the page, each site has its own.
      const jar = new Map();
      Object.defineProperty(scope.Document.prototype, 'cookie', {
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
    guard(() => {
      // All archived sites have one origin: what one keeps is not what another one finds.
      for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(scope, name, { value: storage() });
      Object.defineProperty(scope, 'caches', { value: undefined });
      const factory = scope.IDBFactory.prototype;
      for (const name of ['open', 'deleteDatabase']) {
        const original = factory[name];
        factory[name] = function (database, ...rest) { return original.call(this, `${site()} ${database}`, ...rest); };
      }
      factory.databases = () => Promise.resolve([]);
    });
    const protectFrames = () => {
      for (let at = 0; at < scope.length; at += 1) {
        guard(() => {
          protect(scope[at]);
          const element = scope[at].frameElement;
          if (element && element.srcdoc && !hasShim.test(element.srcdoc)) element.srcdoc = withShim(element.srcdoc);
        });
      }
    };
    const after = (type, names) => {
      for (const name of names) {
        guard(() => {
          const prototype = scope[type].prototype;
          const original = prototype[name];
          if (typeof original !== 'function') return;
          prototype[name] = function (...given) {
            const made = original.apply(this, given);
            if (scope.length) protectFrames();
            return made;
          };
        });
      }
    };
    const around = ['append', 'prepend', 'before', 'after', 'replaceWith', 'replaceChildren'];
    after('Node', ['appendChild', 'insertBefore', 'replaceChild']);
    after('Element', [...around, 'insertAdjacentElement', 'insertAdjacentHTML', 'moveBefore', 'setHTMLUnsafe']);
    after('CharacterData', around);
    after('Document', [...around, 'write', 'writeln', 'execCommand']);
    after('Range', ['insertNode', 'surroundContents']);
    for (const name of ['innerHTML', 'outerHTML']) {
      guard(() => {
        const own = Object.getOwnPropertyDescriptor(scope.Element.prototype, name);
        Object.defineProperty(scope.Element.prototype, name, {
          ...own,
          set(value) { own.set.call(this, value); if (scope.length) protectFrames(); },
        });
      });
    }
    for (const type of ['HTMLIFrameElement', 'HTMLFrameElement', 'HTMLObjectElement']) {
      for (const name of ['contentWindow', 'contentDocument']) {
        guard(() => {
          const own = Object.getOwnPropertyDescriptor(scope[type].prototype, name);
          Object.defineProperty(scope[type].prototype, name, {
            ...own,
            get() {
              const inner = own.get.call(this);
              guard(() => protect(name === 'contentWindow' ? inner : inner.defaultView));
              return inner;
            },
          });
        });
      }
    }
    // Frames that the parser makes: it stops for this before each script.
    guard(() => new MutationObserver(protectFrames).observe(scope.document, { childList: true, subtree: true }));
  };
  protect(window);

  if (!found) return;
  const [, timestamp, page] = found;

  const schemes = /^(https?|ftp|wss?):/i;
  const isOwn = (text) => /^\/(w\/\d*[a-z_]*\/|shim\.js|blocked)/.test(inside(text));
  // The replay URL of a reference; anything else comes back as it is.
  const replayed = (reference, hint) => {
    if (reference == null || reference === '') return reference;
    const text = String(reference);
    if (text.startsWith('#') || isOwn(text)) return text;
    let url;
    try { url = new URL(text, document.baseURI); } catch { return text; }
    if (url.origin === place.origin) {
      if (isOwn(url.pathname)) return text;
      // A path of the archived site.
      try { url = new URL(text.replace(place.origin, ''), page); } catch { return text; }
    }
    return schemes.test(url.protocol) ? `${root}/w/${timestamp}${hint}/${url.href}` : text;
  };
  // The archived URL of a replay URL.
  const archived = (href) => {
    const found = /\/w\/\d*[a-z_]*\/(.*)$/.exec(href);
    return found ? found[1] : href;
  };
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
      else if (attribute === 'srcdoc') value = withShim(String(value));
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
  property('HTMLIFrameElement', 'srcdoc', '', (value) => withShim(String(value)));
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
  guard(() => {
    // Where a script leaves its page, the capture of the target is shown. One that leads to itself stays: it was meant
    // for another address than this one.
    const plain = (url) => url.split('#')[0].replace(/\/$/, '');
    window.navigation.addEventListener('navigate', (event) => {
      const { url } = event.destination;
      if (!event.cancelable || event.formData || event.downloadRequest) return;
      const target = replayed(url, 'mp_');
      if (target === url) return;
      event.preventDefault();
      if (plain(archived(target)) === plain(page)) return;
      if (event.navigationType === 'replace') location.replace(target); else location.assign(target);
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
