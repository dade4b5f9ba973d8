// A link of the page in the frame was followed: the page around it loads the target, so that it knows what it shows.
// In a frame inside of that page, the target is loaded here.
(() => {
  'use strict';
  const path = location.pathname + location.search;
  const script = new URL(document.currentScript.src);
  const root = script.pathname.replace(/\/step\.js$/, '');
  const inside = path.slice(root.length).replace(/^(\/w\/\d*)(mp_)?\//, '$1if_/');
  const here = () => location.replace(root + inside + location.hash);
  if (window.parent === window || window.parent !== window.top) return here();
  const around = script.searchParams.get('around');
  window.parent.postMessage({ open: path + location.hash }, around);
  setTimeout(here, 1500);
})();
