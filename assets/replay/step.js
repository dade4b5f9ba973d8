// A link of the page in the frame was followed: the page around it loads the target, so that it knows what it shows.
// In a frame inside of that page, the target is loaded here.
(() => {
  'use strict';
  const path = location.pathname + location.search;
  const here = () => location.replace(path.replace(/^(\/w\/\d*)(mp_)?\//, '$1if_/') + location.hash);
  if (window.parent === window || window.parent !== window.top) return here();
  const around = new URL(document.currentScript.src).searchParams.get('around');
  window.parent.postMessage({ open: path + location.hash }, around);
  setTimeout(here, 1500);
})();
