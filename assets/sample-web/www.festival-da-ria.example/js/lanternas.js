// Counts down to the night of the lanterns.
document.querySelectorAll("[data-contagem]").forEach(function (el) {
  var days = Math.ceil((new Date(el.dataset.contagem) - Date.now()) / 86400000);
  if (days > 0) { el.textContent = "Faltam " + days + " dias"; }
});
